"""The browser interface: pages of NiceGUI and a REST API beside them, on one application of its own.

    security      who may ask at all: token, hosts, origins, sizes
    workspace     what is kept, as files: datasets, hierarchies, policies, workloads, experiments
    app           joins both with the API (one file per resource in `api`) and the pages (one file each in `pages`)
    server        finds a port and serves

A page and a resource parse, call the layers below, and show the answer. Needs the extra `web`.
"""
