"""Anonymizer: a method for tables as a step of scikit-learn, for whoever trains on published data.

>>> import polars
>>> from crypsis import Mondrian
>>> from crypsis.estimator import Anonymizer
>>> people = polars.DataFrame({"age": [20, 22, 38, 41], "town": ["Oslo", "Oslo", "Rome", "Rome"]})
>>> Anonymizer(Mondrian(k=2), {"age": "quasi", "town": "quasi"}).fit_transform(people)["age"].to_list()
['[20:22]', '[20:22]', '[38:41]', '[38:41]']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from crypsis import _api
from crypsis.data.formats.frames import as_frame
from crypsis.data.relational import Table
from crypsis.errors import MissingExtra, NotApplicable, VerificationFailed
from crypsis.methods import Method
from crypsis.release import Release

try:
    from sklearn.base import BaseEstimator, TransformerMixin
except ImportError:
    raise MissingExtra("Estimators need scikit-learn; install it with: pip install 'crypsis[eval]'") from None

_OF_METHOD = "method__"


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Anonymizes the table that it is fitted to, and gives out that table only.

    `fit` anonymizes a table of pandas or polars as a whole and verifies the result, which is `release_`; `transform`
    of the same table gives its published rows as texts, in the order of the input, so that labels stay beside them.
    Any other table is refused: a guarantee counts the people of one release, and rows that are added to it later, or
    are recoded by it, are covered by none. `release_.write` publishes. A pickled anonymizer holds its settings only.

    Parameters of the method are parameters of the step, too: `method__k`.
    """

    def __init__(
        self,
        method: Method,
        roles: Mapping[str, str],
        types: Mapping[str, str] | None = None,
        *,
        person: str | None = None,
        each_row_is_a_person: bool = False,
    ) -> None:
        self.method = method
        self.roles = roles
        self.types = types
        self.person = person
        self.each_row_is_a_person = each_row_is_a_person

    release_: Release

    def fit(self, X: Any, y: Any = None) -> Self:
        """Anonymize this table and verify the release; `y` is not looked at."""
        if self.method.accepts is not Table:
            raise NotApplicable(f"{type(self.method).__name__} takes no table; an estimator anonymizes tables.")
        frame = as_frame(X)
        table = Table.from_frame(
            frame, self.roles, self.types, person=self.person, each_row_is_a_person=self.each_row_is_a_person
        )
        release = _api.anonymize(table, self.method)
        if len(release.data) != len(frame):
            raise NotApplicable(
                f"{type(self.method).__name__} publishes no row for each record, so a model cannot be fitted to them; "
                "use crypsis.anonymize."
            )
        verdict = release.verify()
        if not verdict.holds:
            raise VerificationFailed(f"The release was not verified: {verdict}")
        self.release_, self._fitted = release, frame
        return self

    def transform(self, X: Any) -> Any:
        """The published rows of the table that was fitted; any other table is refused."""
        fitted = getattr(self, "_fitted", None)
        if fitted is None:
            raise NotApplicable("Nothing was anonymized yet, or the anonymizer was pickled; fit it to the table first.")
        if not as_frame(X).equals(fitted):
            raise NotApplicable(
                "This is not the table that was anonymized. The guarantee counts the people of one release, so other "
                "rows cannot be recoded by it; anonymize them as a release of their own (fit_transform)."
            )
        published = self.release_.data.to_frame()
        return published if hasattr(X, "lazy") else _like_pandas(published, X)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The published columns."""
        import numpy as np

        return np.array(self.release_.data.to_frame().columns, dtype=object)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Settings by name; those of the method as `method__k`."""
        params: dict[str, Any] = super().get_params(deep=False)
        if deep:
            params |= {f"{_OF_METHOD}{name}": value for name, value in self.method.parameters().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Change settings; `method__k=10` makes the method anew with that parameter."""
        of_method = {
            name.removeprefix(_OF_METHOD): params.pop(name) for name in list(params) if name.startswith(_OF_METHOD)
        }
        super().set_params(**params)
        if of_method:
            self.method = replace(self.method, **of_method)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Settings only: the release knows its original, which a stored pipeline must not carry along."""
        return {name: value for name, value in self.__dict__.items() if name not in ("release_", "_fitted")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def _like_pandas(published: Any, given: Any) -> Any:
    """The rows as pandas, under the labels of the rows that were given."""
    frame = published.to_pandas()
    frame.index = given.index
    return frame
