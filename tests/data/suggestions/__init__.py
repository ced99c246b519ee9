"""How well suggestions agree with what a statistician says of the public datasets."""
