"""Who is one person: which columns seem to name people, and what is asked then."""

from __future__ import annotations

import polars as pl
import pytest

import crypsis
from crypsis import Mixed, Table
from crypsis.data.person_detection import holds_ids, identifies_by_name, person_like_column, person_undecided
from crypsis.errors import BadParameter, BadRow, PersonNotSupported, PersonUndecided, UnknownColumn

NAMES_OF_PEOPLE = (
    "id", "uid", "user", "user_id", "userId", "UserID", "customer", "Customer ID", "client", "patient_id", "PatientID",
    "card", "card_number", "imei", "imsi", "msisdn", "icao24", "mmsi", "kennung", "Kunde", "Kundennummer",
    "patientennr",
    "persona", "usuario", "ID_usuario", "cliente", "bikeid", "DUID", "PID", "cab_id", "vehicleId", "customer-no",
    "klantnummer", "trip_id", "hhid", "identifiant", "numero_client", "abonné", "user-hash", "device_id", "osoba",
    "uczeń",
    "phone_number", "Account Number", "Schüler", "id_de_cliente", "numero de cliente", "license plate no",
)  # fmt: skip
OTHER_NAMES = (
    "age", "usertype", "user_type", "start_station_id", "education-num", "workclass", "personal_status", "country_id",
    "productId", "zip code", "paid", "covid", "thyroid", "grid", "station_name", "birth_year", "num_dependents",
    "telephone", "ICD9CODX", "number", "customer_age", "client type", "venueId",
    "status_of_existing_checking_account", "number_of_people", "id of station", "related_ids", "item", "id_type", "",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES_OF_PEOPLE)
def test_names_whose_head_identifies_are_known_in_several_languages(name: str) -> None:
    assert identifies_by_name(name)


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_kinds_places_and_measures_name_nobody(name: str) -> None:
    assert not identifies_by_name(name)


def test_only_text_and_whole_numbers_can_be_ids() -> None:
    assert holds_ids(pl.Series(["a", "b"]))
    assert holds_ids(pl.Series([7, 9]))
    assert holds_ids(pl.Series([1.0, 2.0, 3.0]))
    assert not holds_ids(pl.Series([0.5, 1.0]))
    assert not holds_ids(pl.Series(["39.98", "39.5"]))
    assert not holds_ids(pl.Series(["yes", "No"]))
    assert not holds_ids(pl.Series([True, False]))


def test_a_column_is_person_like_only_where_its_values_repeat() -> None:
    once = pl.DataFrame({"uid": [1, 2, 3], "age": [30, 30, 40]})
    assert person_like_column(once) is None
    found = person_like_column(pl.DataFrame({"uid": [1, 1, 3], "age": [30, 30, 40]}))
    assert found is not None
    assert (found.column, found.values, found.rows) == ("uid", 2, 3)


def test_one_person_who_owns_every_row_is_found() -> None:
    found = person_like_column(pl.DataFrame({"uid": ["001"] * 5, "lat": [0.1, 0.2, 0.3, 0.4, 0.5]}))
    assert found is not None
    assert found.values == 1


def test_content_that_is_written_like_ids_is_found_whatever_the_name() -> None:
    mails = pl.DataFrame({"x": ["a@b.org", "a@b.org", "c@d.org"]})
    found = person_like_column(mails)
    assert found is not None
    assert found.column == "x"
    assert person_like_column(pl.DataFrame({"x": ["red", "red", "blue"]})) is None


def test_a_role_counts_as_much_as_a_name() -> None:
    frame = pl.DataFrame({"x": ["a", "a", "b"], "age": [1, 2, 3]})
    assert person_like_column(frame) is None
    assert person_like_column(frame, typed=["x"]) is not None


def test_a_role_asks_nothing_where_every_row_names_another_person() -> None:
    frame = pl.DataFrame({"patient_id": [1, 2, 3], "admitted": ["a", "a", "b"]})
    assert person_like_column(frame, typed=["patient_id", "admitted"]) is None
    videos = frame.rename({"patient_id": "video_id", "admitted": "by"})
    assert person_like_column(videos, typed=["video_id", "by"]) is not None
    houses = frame.rename({"admitted": "household_id"})
    assert person_like_column(houses, typed=["patient_id"]) is not None  # a name asks all the same


def test_a_noun_for_a_person_comes_before_a_mere_id() -> None:
    found = person_like_column(pl.DataFrame({"id": [1, 1, 2, 3], "uploader": ["a", "a", "a", "b"]}))
    assert found is not None
    assert found.column == "uploader"


def test_the_refusal_names_column_counts_and_remedies_of_the_place() -> None:
    found = person_like_column(pl.DataFrame({"user id": ["a", "a", "b"]}))
    assert found is not None
    error = person_undecided(found)
    assert error.code == "person-undecided"
    assert error.exit_code == 2
    for words in ("'user id'", "2 different values", "3 rows", "person='user id'", "each_row_is_a_person=True"):
        assert words in str(error)
    typed = error.in_words_of("command line")
    assert "--person 'user id'" in str(typed)
    assert "--each-row-is-a-person" in str(typed)
    assert 'person = "user id"' in str(error.in_words_of("experiment"))


FRAME = pl.DataFrame({"uid": ["a", "a", "a", "b"], "age": [30, 31, 32, 40], "ill": ["flu", "flu", "cold", "flu"]})
ROLES = {"uid": "identifier", "age": "quasi", "ill": "sensitive"}


@pytest.mark.parametrize("role", ["identifier", "quasi", "other"])
def test_a_table_in_which_nobody_said_who_a_person_is_is_not_anonymized(role: str) -> None:
    table = Table.from_frame(FRAME, {**ROLES, "uid": role})
    with pytest.raises(PersonUndecided, match="uid"):
        crypsis.anonymize(table, crypsis.Mondrian(k=2))


def test_a_view_without_the_column_is_still_undecided() -> None:
    from crypsis.evaluate.dataset import view_of

    table = Table.from_frame(FRAME, ROLES)
    assert view_of(table, Table, ["age", "ill"]).person_like is not None
    assert table.take(table.column("age").codes.astype("int64")[:2]).person_like is not None


def test_each_row_may_be_confirmed_to_be_a_person() -> None:
    table = Table.from_frame(FRAME, ROLES, each_row_is_a_person=True)
    assert table.person is None
    assert table.person_like is None
    assert crypsis.anonymize(table, crypsis.Mondrian(k=2)).verify().holds


def test_the_person_is_numbered_and_its_column_is_an_identifier() -> None:
    for table in (
        Table.from_frame(FRAME, ROLES, person="uid"),
        Table.from_frame(FRAME, {"age": "quasi", "ill": "sensitive"}, person="uid"),
        Table.from_frame(FRAME, {**ROLES, "uid": "person"}),
    ):
        assert table.person is not None
        assert table.person.tolist() == [0, 0, 0, 1]
        assert table.identifiers == ("uid",)
        assert table.take([3, 2]).person is None  # two people, a row each
        assert table.take([1, 2]).person.tolist() == [0, 0]


def test_where_no_person_repeats_each_record_is_one() -> None:
    frame = FRAME.with_columns(uid=pl.Series(["a", "b", "c", "d"]))
    assert Table.from_frame(frame, ROLES, person="uid").person is None


@pytest.mark.parametrize("role", ["quasi", "sensitive", "other", "label"])
def test_a_person_column_that_would_be_published_is_refused(role: str) -> None:
    with pytest.raises(BadParameter, match="never published"):
        Table.from_frame(FRAME, {**ROLES, "uid": role}, person="uid")


def test_contradictions_about_the_person_are_refused() -> None:
    with pytest.raises(BadParameter, match="give one of"):
        Table.from_frame(FRAME, ROLES, person="uid", each_row_is_a_person=True)
    with pytest.raises(UnknownColumn):
        Table.from_frame(FRAME, ROLES, person="user")
    with pytest.raises(BadParameter, match="One column names the person"):
        Table.from_frame(FRAME, {**ROLES, "uid": "person", "age": "person"})
    holes = FRAME.with_columns(uid=pl.Series(["a", None, "a", "b"]))
    with pytest.raises(BadRow, match="names the person and is empty"):
        Table.from_frame(holes, ROLES, person="uid")
    with pytest.raises(BadParameter, match="decimal numbers"):
        Table.from_frame(FRAME.with_columns(uid=pl.Series([0.5, 0.5, 1.5, 2.0])), ROLES, person="uid")


def test_a_trip_is_no_person_where_its_owner_is_known() -> None:
    frame = pl.DataFrame({"trip_id": [1, 1, 2, 3], "uid": ["a", "a", "a", "b"], "age": [1, 2, 3, 4]})
    with pytest.raises(BadParameter, match="its 3 values belong to 2 of column 'uid'"):
        Table.from_frame(frame, {"uid": "identifier", "age": "quasi"}, person="trip_id")
    houses = frame.rename({"trip_id": "patient_id", "uid": "household_id"})
    table = Table.from_frame(houses, {"household_id": "identifier", "age": "quasi"}, person="patient_id")
    assert table.person is not None


def test_mixed_data_ask_the_same_question() -> None:
    frame = FRAME.with_columns(items=pl.Series(["x y", "x", "y", "x y"]))
    undecided = Mixed.from_frame(frame, ROLES, {"items": " "})
    with pytest.raises(PersonUndecided):
        crypsis.anonymize(undecided, crypsis.RumBound(k=2, m=1))
    decided = Mixed.from_frame(frame, ROLES, {"items": " "}, person="uid")
    assert decided.person is not None
    assert decided.person_like is None


def test_a_method_that_cannot_count_people_says_so() -> None:
    class Careless(crypsis.Mondrian):
        counts_people = False

    with pytest.raises(PersonNotSupported) as raised:
        crypsis.anonymize(Table.from_frame(FRAME, ROLES, person="uid"), Careless(k=2))
    assert raised.value.code == "person-not-supported"
