"""The kind of data by what a file holds, where names do not tell."""

from __future__ import annotations

import json
import random
from itertools import chain
from pathlib import Path

import polars as pl
import pytest

import crypsis
from crypsis.data.inspection import inspect_file
from crypsis.data.kinds_of_data import trip_ends
from crypsis.data.set_valued_cells import has_sound_sets, sets_of_cells


def lines(folder: Path, name: str, records: list[list[str]], between: str = " ") -> Path:
    file = folder / name
    file.write_text("\n".join(between.join(record) for record in records) + "\n")
    return file


def drawn(seed: int, count: int = 400) -> list[list[str]]:
    chance = random.Random(seed)
    return [chance.sample([str(item) for item in range(12)], chance.randint(2, 6)) for _ in range(count)]


def test_lists_that_repeat_labels_are_sequences(tmp_path: Path) -> None:
    records = [[*record, record[0]] if row % 5 == 0 else record for row, record in enumerate(drawn(1))]
    found = inspect_file(lines(tmp_path, "clicks.txt", records))
    assert found.kind == "trajectories"
    assert "a label twice" in found.reason


def test_sorted_lists_and_lists_in_any_order_are_sets(tmp_path: Path) -> None:
    assert inspect_file(lines(tmp_path, "a.dat", [sorted(record) for record in drawn(2)])).kind == "transactions"
    assert inspect_file(lines(tmp_path, "b.dat", drawn(3))).kind == "transactions"


def test_lists_that_prefer_an_order_are_sequences(tmp_path: Path) -> None:
    chance = random.Random(4)
    records = [sorted(record, key=lambda item: int(item) + chance.gauss(0, 3)) for record in drawn(5)]
    found = inspect_file(lines(tmp_path, "signs.txt", records))
    assert found.kind == "trajectories"
    assert "both orders" in found.reason


def test_baskets_in_a_file_called_csv_are_read_with_their_separator(tmp_path: Path) -> None:
    found = inspect_file(lines(tmp_path, "baskets.csv", drawn(6), "|"))
    assert (found.kind, found.how) == ("transactions", {"format": "fimi", "separator": "|"})


def test_rows_of_one_id_that_differ_in_one_column_are_items(tmp_path: Path) -> None:
    chance = random.Random(7)
    rows = [
        f"{person // 2},{person},{code},2005\n"
        for person in range(60)
        for code in chance.sample([f"{n}X" for n in range(20)], 3)
    ]
    file = tmp_path / "conditions.csv"
    file.write_text("DUID,DUPERSID,ICD9CODX,year\n" + "".join(rows))
    found = inspect_file(file)
    assert (found.kind, found.uses) == ("transactions", {"id": "DUPERSID", "item": "ICD9CODX"})
    assert [column.role for column in found.columns] == ["unread", "id", "item", "unread"]
    visits = [row.replace("2005", str(2000 + place % 4)) for place, row in enumerate(rows)]
    file.write_text("DUID,DUPERSID,ICD9CODX,year\n" + "".join(visits))
    assert inspect_file(file).kind == "table"  # two columns vary: records of visits


def test_measurements_of_one_person_are_no_items(tmp_path: Path) -> None:
    file = tmp_path / "pulse.csv"
    file.write_text("uid,pulse\n" + "".join(f"{row // 4},{60 + row % 20}\n" for row in range(200)))
    assert inspect_file(file).kind == "table"


def test_rows_with_two_ends_are_trips(tmp_path: Path) -> None:
    file = tmp_path / "trips.csv"
    file.write_text(
        "pickup_time,dropoff_time,pickup_zone,dropoff_zone\n"
        + "".join(f"2020-01-01T10:{row:02}:00,2020-01-01T11:{row:02}:00,{row % 5},{row % 3}\n" for row in range(60))
    )
    found = inspect_file(file)
    assert found.kind == "table"
    assert found.reason.startswith("each row is a trip: pickup_time and dropoff_time")


def test_ends_of_trips_are_known_in_compound_words() -> None:
    names = ["Kunde", "Startzeit", "Endzeit", "Startstation", "Zielstation"]
    assert trip_ends(names) == {"zeit": ("Startzeit", "Endzeit"), "station": ("Startstation", "Zielstation")}


def test_moving_objects_of_the_generator_are_tracks(tmp_path: Path) -> None:
    rows = [f"{min(time, 1)} {thing} 2 {time}.0 10 20 3.5 11 21".split(" ") for thing in range(9) for time in range(5)]
    found = inspect_file(lines(tmp_path, "moving.dat", rows, "\t"))
    assert (found.kind, found.how) == ("tracks", {"format": "brinkhoff"})
    assert [column.role for column in found.columns] == ["id", "t", "x", "y"]


def test_lines_with_a_key_each_are_rows_of_a_table(tmp_path: Path) -> None:
    nodes = [[str(node), str(node * 7 % 50), str(node * 3 % 40)] for node in range(60)]
    found = inspect_file(lines(tmp_path, "nodes.txt", nodes))
    assert (found.kind, found.rows, len(found.columns)) == ("table", 60, 3)
    assert found.how == {"format": "csv", "header": False, "separator": " "}


def test_position_fixes_without_names_are_tracks(tmp_path: Path) -> None:
    fixes = [
        [str(taxi), f"2008-02-02 15:{row:02}:08", f"116.4{row}", f"39.9{row}"] for taxi in (1, 2) for row in range(30)
    ]
    found = inspect_file(lines(tmp_path, "taxis.txt", fixes, ","))
    assert (found.kind, found.how) == ("tracks", {"format": "csv"})
    assert found.uses == {"id": "column_1", "t": "column_2", "lat": "column_4", "lon": "column_3"}


def test_coordinates_that_may_be_either_are_not_guessed(tmp_path: Path) -> None:
    fixes = [
        [str(taxi), f"2008-02-02 15:{row:02}:08", f"13.4{row}", f"52.5{row}"] for taxi in (1, 2) for row in range(30)
    ]
    assert inspect_file(lines(tmp_path, "taxis.csv", fixes, ",")).kind == "table"


@pytest.mark.parametrize(("beside", "kind"), [({}, "transactions"), ({"age": 30}, "mixed")])
def test_lists_are_items_of_records(tmp_path: Path, beside: dict[str, int], kind: str) -> None:
    file = tmp_path / "baskets.jsonl"
    rows = [{"id": row, **beside, "items": ["abcd"[row % 4], "abcd"[row % 3]]} for row in range(40)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = inspect_file(file)
    assert (found.kind, found.columns[-1].distinct) == (kind, 12)


def test_all_files_of_a_folder_are_counted(tmp_path: Path) -> None:
    point = '<trkpt lat="1" lon="2"><time>2020-01-01T00:00:00Z</time></trkpt>'
    for name in "ab":
        (tmp_path / f"{name}.gpx").write_text(f"<gpx><trk><name>{name}</name><trkseg>{point}</trkseg></trk></gpx>")
    assert inspect_file(tmp_path).rows == 2


FIXES = "{id},{t},{lon},{lat},acc\n" + "".join(
    f"d{row % 5},{1_700_000_000_000 + 60_000 * (row // 5)},{8 + row / 100:.4f},{47 + row / 90:.4f},{row % 7}\n"
    for row in range(60)
)


@pytest.mark.parametrize(
    "names",
    [
        {"id": "device", "t": "ts", "lon": "lng", "lat": "lat"},
        {"id": "vehicle", "t": "zeitstempel", "lon": "Längengrad", "lat": "Breitengrad"},
        {"id": "fahrer", "t": "Zeit", "lon": "Länge", "lat": "Breite"},
        {"id": "individual-local-identifier", "t": "timestamp", "lon": "location-long", "lat": "location-lat"},
        {"id": "imei", "t": "moment", "lon": "gps_longitude", "lat": "gps_latitude"},
    ],
    ids=lambda names: names["id"],
)
def test_coordinates_with_a_mover_and_a_time_are_tracks(tmp_path: Path, names: dict[str, str]) -> None:
    file = tmp_path / "fixes.csv"
    file.write_text(FIXES.format(**names), encoding="utf-8")
    found = inspect_file(file)
    assert found.kind == "tracks"
    assert {column.role: column.name for column in found.columns} == names | {"unread": "acc"}


def test_coordinates_of_homes_are_no_tracks(tmp_path: Path) -> None:
    file = tmp_path / "homes.csv"
    rows = "".join(f"p{row},{20 + row},47.{row},8.{row}\n" for row in range(10, 60))
    file.write_text("patient,age,lat,lon\n" + rows)
    assert inspect_file(file).kind == "table"


def test_who_was_when_where_is_events_whatever_the_columns_are_called(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    rows = "".join(f"{row % 9},{('bar', 'gym')[row % 2]},2008/06/08 23:{10 + row % 50}:39\n" for row in range(60))
    file.write_text("uid,venue,when\n" + rows)
    assert inspect_file(file).kind == "events"
    stays = "".join(f"{row % 9},{30 + row},bar,2008/06/08 23:{10 + row % 50}:39,flu\n" for row in range(60))
    file.write_text("patient_id,age,venue,when,ill\n" + stays)
    assert inspect_file(file).kind == "table"


def test_lines_of_invoices_are_baskets_of_the_invoice(tmp_path: Path) -> None:
    file = tmp_path / "orders.csv"
    rows = "".join(f"{row // 5},{row % 7}A,LAMP,12/1/2010 8:26,{1 + (row // 5) % 9}\n" for row in range(100))
    file.write_text("InvoiceNo,StockCode,Description,InvoiceDate,CustomerID\n" + rows)
    found = inspect_file(file)
    assert (found.kind, found.uses) == ("transactions", {"id": "InvoiceNo", "item": "StockCode"})


@pytest.mark.parametrize("separator", ["; ", ", ", "|"])
def test_a_set_in_each_row_beside_an_id_is_a_basket(tmp_path: Path, separator: str) -> None:
    file = tmp_path / "cells.csv"
    items = ["milk", "white wine", "bread", "tea", "salt"]
    file.write_text(
        "customer\tproducts\n"
        + "".join(f"{row}\t{separator.join(items[row % 4 : row % 4 + 1 + row % 3])}\n" for row in range(80))
    )
    found = inspect_file(file)
    assert found.kind == "transactions"
    assert [step.get("separator", ",") for step in found.steps] == [separator.strip()]


@pytest.mark.parametrize("written", ["['{}', '{}']", '{{"{}", "{}"}}', "{{{},{}}}", "[{}, {}]"])
def test_lists_as_programs_write_them_are_sets(tmp_path: Path, written: str) -> None:
    chance = random.Random(8)
    file = tmp_path / "people.csv"
    codes = [written.format(*chance.sample(["E11", "I10", "J45"], 2)) for _ in range(40)]
    file.write_text("age|codes\n" + "".join(f"{20 + row % 30}|{code}\n" for row, code in enumerate(codes)))
    assert inspect_file(file).kind == "mixed"
    read = crypsis.read_mixed(file, {"age": "quasi"}, {"codes": ","}, each_row_is_a_person=True)
    assert set(chain(*read.transactions.to_lists())) == {"E11", "I10", "J45"}


def test_an_empty_list_is_an_empty_set() -> None:
    cells = pl.Series("codes", ["[]", "['a', 'b']", "", "[c]"])
    assert sets_of_cells(cells, ",", (), None).to_lists() == [[], ["a", "b"], [], ["c"]]
    assert has_sound_sets(cells, ",").all()


def test_a_text_table_with_decimals_is_no_list_of_baskets(tmp_path: Path) -> None:
    file = tmp_path / "venues.txt"
    file.write_text("".join(f"{row % 9}\tArts & Crafts\t40.7{row}\t-74.0{row}\n" for row in range(40)))
    found = inspect_file(file)
    assert (found.kind, found.how) == ("table", {"format": "csv"})


def test_beside_an_owner_an_id_numbers_the_fixes(tmp_path: Path) -> None:
    file = tmp_path / "positionfixes.csv"
    rows = "".join(f"{row},{row % 6},2024-01-01 10:{row:02d}:00,POINT (11.{row:02d} 48.5)\n" for row in range(60))
    file.write_text("id,user_id,tracked_at,geom\n" + rows.replace("POINT (", '"POINT (').replace(")\n", ')"\n'))
    found = inspect_file(file)
    assert found.kind == "tracks"
    assert {column.name: column.role for column in found.columns}["user_id"] == "id"


def test_who_stayed_where_from_when_to_when_is_a_visit(tmp_path: Path) -> None:
    file = tmp_path / "staypoints.csv"
    rows = "".join(f"{n % 9},2024-01-01 {n % 12:02d}:00:00,2024-01-01 {n % 12:02d}:30:00,L{n % 4}\n" for n in range(60))
    file.write_text("user_id,started_at,finished_at,location_id\n" + rows)
    found = inspect_file(file)
    visits = {"id": "user_id", "location": "location_id", "position": "started_at", "enter": "started_at"}
    assert (found.kind, found.uses) == ("trajectories", visits | {"exit": "finished_at"})


def test_lines_of_columns_that_blanks_align_are_a_table(tmp_path: Path) -> None:
    rows = "".join(f"{20 + row:3} {'mf'[row % 2]:3} {1000 + row:8.2f}\n" for row in range(40))
    (tmp_path / "people.txt").write_text("AGE SEX   PAY\n" + rows)
    found = inspect_file(tmp_path / "people.txt")
    assert (found.kind, found.rows) == ("table", 40)
    assert [(column.name, column.type) for column in found.columns] == [
        ("AGE", "int"),
        ("SEX", "category"),
        ("PAY", "float"),
    ]


@pytest.mark.parametrize(
    ("record", "item"),
    [
        ("Bestellnr", "Artikel"),
        ("commande", "produit"),
        ("pedido", "producto"),
        ("订单号", "商品名称"),
        ("注文番号", "商品名"),
        ("заказ", "товар"),
        ("pesanan", "barang"),
    ],
)
def test_baskets_are_told_by_words_of_many_languages(tmp_path: Path, record: str, item: str) -> None:
    rows = "".join(f"{row // 3},{'abc'[row % 3]}{row % 4},{1 + row % 2}\n" for row in range(60))
    (tmp_path / "b.csv").write_text(f"{record},{item},n\n{rows}", encoding="utf-8")
    found = inspect_file(tmp_path / "b.csv")
    assert (found.kind, found.uses) == ("transactions", {"id": record, "item": item})


def test_a_cell_with_all_items_of_a_record_is_split(tmp_path: Path) -> None:
    rows = "".join(f'{row};"{"abc"[row % 3]},{"xyz"[row % 2]}"\n' for row in range(40))
    (tmp_path / "b.csv").write_text(f"id;items\n{rows}")
    found = inspect_file(tmp_path / "b.csv")
    assert found.kind == "transactions"
    assert found.steps[0]["step"] == "split"
    assert len(crypsis.read(tmp_path / "b.csv").to_lists()[0]) == 2


def test_bytes_are_dropped_by_a_step(tmp_path: Path) -> None:
    pl.DataFrame({"age": [40, 50], "blob": [b"\0", b"\1"]}).write_parquet(tmp_path / "a.parquet")
    found = inspect_file(tmp_path / "a.parquet")
    assert [column.name for column in found.columns] == ["age"]
    assert found.steps == ({"step": "drop", "columns": ["blob"]},)
