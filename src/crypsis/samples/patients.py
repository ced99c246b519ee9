"""Hospital stays: age, sex, zip code, month of admission, the diagnosis codes of the stay, and the ward."""

from __future__ import annotations

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Float64s, Int64s
from crypsis.data.mixed import Mixed
from crypsis.samples.numbering import numbered

# Diagnosis code: how common, the age of its peak, the width of the peak in years, share of women, ward.
_DIAGNOSES: dict[str, tuple[float, int, int, float, str]] = {
    "I10": (0.34, 72, 18, 0.52, "internal medicine"),
    "E11": (0.18, 68, 15, 0.46, "internal medicine"),
    "E78": (0.20, 66, 15, 0.50, "internal medicine"),
    "E66": (0.12, 50, 16, 0.56, "internal medicine"),
    "D50": (0.06, 45, 25, 0.72, "internal medicine"),
    "K21": (0.08, 58, 18, 0.52, "internal medicine"),
    "K80": (0.05, 55, 16, 0.66, "surgery"),
    "K35": (0.04, 24, 14, 0.46, "surgery"),
    "K40": (0.04, 62, 16, 0.12, "surgery"),
    "I25": (0.13, 74, 12, 0.36, "cardiology"),
    "I48": (0.10, 78, 10, 0.48, "cardiology"),
    "I50": (0.11, 80, 10, 0.52, "cardiology"),
    "I21": (0.04, 70, 13, 0.34, "cardiology"),
    "J18": (0.07, 76, 18, 0.46, "pneumology"),
    "J44": (0.08, 70, 11, 0.44, "pneumology"),
    "J45": (0.06, 20, 16, 0.54, "pneumology"),
    "N18": (0.09, 77, 12, 0.50, "nephrology"),
    "N39": (0.06, 75, 20, 0.70, "nephrology"),
    "M17": (0.07, 70, 10, 0.62, "orthopaedics"),
    "M54": (0.08, 50, 16, 0.55, "orthopaedics"),
    "S72": (0.05, 83, 8, 0.72, "orthopaedics"),
    "S52": (0.04, 35, 28, 0.56, "orthopaedics"),
    "C50": (0.04, 62, 13, 0.99, "oncology"),
    "C61": (0.03, 70, 9, 0.00, "oncology"),
    "C34": (0.03, 68, 10, 0.42, "oncology"),
    "G40": (0.02, 30, 25, 0.48, "neurology"),
    "G35": (0.01, 38, 12, 0.72, "neurology"),
    "I63": (0.05, 76, 12, 0.50, "neurology"),
    "F32": (0.06, 46, 17, 0.66, "psychiatry"),
    "F10": (0.04, 48, 13, 0.26, "psychiatry"),
    "F20": (0.01, 34, 12, 0.44, "psychiatry"),
    "B20": (0.005, 42, 12, 0.24, "internal medicine"),
    "O80": (0.09, 30, 5, 1.00, "obstetrics"),
    "O34": (0.03, 33, 5, 1.00, "obstetrics"),
    "J06": (0.05, 5, 5, 0.48, "paediatrics"),
    "A09": (0.04, 4, 8, 0.48, "paediatrics"),
}
_ZIPS = ["41107", "41109", "41121", "41123", "41128", "41202", "41205", "41211", "41302", "41309"]
_ZIP_SHARES = np.array([18, 15, 13, 12, 10, 9, 8, 7, 5, 3]) / 100
_NO_ZIP = 0.01  # share of patients whose zip code was never written down
_PATIENTS_AT_ONCE = 50_000


# What each column is; zip codes are names, not numbers.
ROLES = {
    "patient_id": "identifier",
    "age": "quasi",
    "sex": "quasi",
    "zip": "quasi",
    "admitted": "quasi",
    "ward": "sensitive",
}
TYPES = {"zip": "category"}
_SENSITIVE_DIAGNOSES = ("B20", "F10", "F20", "F32")


def patients(count: int = 2_500, seed: int = 1) -> Mixed:
    """Stays as a table with the diagnosis codes as its set-valued column."""
    frame = patients_frame(count, seed)
    diagnoses = set(frame["diagnoses"].str.split(" ").explode(empty_as_null=False).unique())
    sensitive = [code for code in _SENSITIVE_DIAGNOSES if code in diagnoses]  # a small sample may lack the rare ones
    return Mixed.from_frame(frame, ROLES, {"diagnoses": " "}, TYPES, sensitive={"diagnoses": sensitive})


def patients_frame(count: int = 2_500, seed: int = 1) -> pl.DataFrame:
    """One row per stay: patient_id, age, sex, zip, month admitted, diagnoses (blank-separated), ward."""
    random = np.random.Generator(np.random.PCG64(seed))
    chunks = [
        _stays(min(_PATIENTS_AT_ONCE, count - start), random) for start in range(0, max(count, 1), _PATIENTS_AT_ONCE)
    ]
    return pl.concat(chunks).select(numbered("patient", count).alias("patient_id"), pl.all())


def _stays(count: int, random: np.random.Generator) -> pl.DataFrame:
    age = _ages(count, random)
    female = random.random(count) < 0.53
    zip_code = random.choice(len(_ZIPS), count, p=_ZIP_SHARES)
    unknown = random.random(count) < _NO_ZIP
    month = random.integers(1, 13, count)
    has = _diagnosed(age, female, random)
    stay, code = np.nonzero(has)
    codes = pl.Series(list(_DIAGNOSES))
    diagnoses = (
        pl.DataFrame({"stay": stay, "code": codes.gather(code)})
        .group_by("stay", maintain_order=True)
        .agg(pl.col("code").str.join(" "))
    )
    wards = pl.Series([ward for *_, ward in _DIAGNOSES.values()])
    return pl.DataFrame(
        {
            "age": age,
            "sex": pl.Series(["male", "female"]).gather(female.astype(np.int64)),
            "zip": pl.Series(_ZIPS).gather(zip_code).set(pl.Series(unknown), None),
            "admitted": pl.Series([f"2025-{number:02d}" for number in range(1, 13)]).gather(month - 1),
            "diagnoses": diagnoses["code"],
            "ward": wards.gather(_leading(has, random)),
        }
    )


def _ages(count: int, random: np.random.Generator) -> Int64s:
    """Children, young adults, and most of all the old."""
    group = random.choice(3, count, p=[0.12, 0.30, 0.58])
    centre = np.array([4.0, 34.0, 70.0])[group]
    width = np.array([4.0, 11.0, 13.0])[group]
    return np.asarray(np.clip(np.abs(random.normal(centre, width)), 0, 99).astype(np.int64))


def _chances(age: Int64s, female: Bools) -> Float64s:
    """The chance of each diagnosis for each patient."""
    common, peak, width, women = (np.array([entry[part] for entry in _DIAGNOSES.values()]) for part in range(4))
    at_this_age = np.exp(-(((age[:, None] - peak) / (1.5 * width)) ** 2))
    of_this_sex = 2 * np.where(female[:, None], women, 1 - women)
    return np.asarray(np.minimum(common * at_this_age * of_this_sex, 0.95))


def _diagnosed(age: Int64s, female: Bools, random: np.random.Generator) -> Bools:
    """Which patient has which diagnosis; nobody is admitted without one."""
    chances = _chances(age, female)
    has = random.random(chances.shape) < chances
    without = ~has.any(axis=1)
    has[without, chances[without].argmax(axis=1)] = True
    return has


def _leading(has: Bools, random: np.random.Generator) -> Int64s:
    """The diagnosis that decides the ward: one of the patient's own."""
    return np.asarray(np.where(has, random.random(has.shape), -1.0).argmax(axis=1))
