"""Which column seems to name people: by its name, its role or its content, and only where its values repeat.

The rule. A column is *person-like* if all of these hold.

1. It identifies: the head of its name (its last word, or that before an "of"; names are split at `_`, `-`, `.`, blanks
   and capitals) is an id
   (`patient_id`, `uid`, `bikeid`), a noun for a person or a device (`user`, `kunde`, `imei`), or a word for a number
   after such a noun (`customer_no`, `kundennummer`); or it has the role identifier; or nearly all its values are
   written like ids (UUIDs, e-mail or hardware addresses, digests). The id of a place or product (`station_id`) names
   nobody, and `user_type` is a type.
2. It could hold ids: text or whole numbers, not only yes and no, however they are coded (`foreign_worker` with two
   values).
3. Its values repeat.

A role alone asks nothing where another column names a different person in every row (`patient_id` without repeats):
many give the role identifier to whatever is to be left out.

Whether one person really has several rows is never guessed: whoever reads the data says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import polars as pl

from crypsis.errors import PersonUndecided


def plain_text(text: str) -> str:
    """Small letters without accents, so that all ways of writing a word are one."""
    return _without_accents(text).lower()


def _without_accents(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("ł", "l").replace("Ł", "L"))
    return "".join(sign for sign in letters if not unicodedata.combining(sign))


def word_set(text: str) -> frozenset[str]:
    """Words of a list, as `words_of` would give them."""
    return frozenset(plain_text(text).split())


# Nouns that name somebody: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Hindi,
# Bengali; without accents.
PERSON_NOUNS = word_set(
    """
    user username userhash pat person persons people individual customer client patient member subscriber employee
    staff worker student pupil driver rider passenger guest visitor voter citizen resident tenant subject
    participant respondent volunteer owner account accountholder holder cardholder household insured
    policyholder taxpayer traveller traveler buyer shopper donor borrower debtor author uploader creator
    reviewer player caller card imei imsi msisdn meid iccid icao24 icao mmsi callsign vin ssn nino mrn passport iban
    kennung kunde kundin kunden patientin patienten nutzer nutzerin benutzer benutzerin mitglied versicherter
    versicherte teilnehmer teilnehmerin proband probandin fahrgast fahrer fahrerin schueler schuelerin schuler schulerin
    mitarbeiter mitarbeiterin mandant inhaber haushalt karte personal personne utilisateur utilisatrice abonne abonnee
    adherent adherente eleve etudiant etudiante conducteur passager assure beneficiaire carte titulaire persona
    usuario usuaria cliente paciente socio socia abonado empleado alumno estudiante conductor pasajero asegurado
    titular tarjeta dni nif nie utente paziente abbonato dipendente studente alunno conducente passeggero
    assicurato intestatario tessera pessoa utilizador membro assinante funcionario aluno motorista passageiro
    segurado cartao cpf gebruiker klant persoon lid abonnee werknemer leerling bestuurder reiziger verzekerde
    houder kaart bsn uzytkownik klient pacjent osoba czlonek abonent pracownik uczen kierowca pasazer
    ubezpieczony karta pesel hasta musteri kullanici uye ogrenci calisan sofor yolcu medallion
    пользователь клиент пациент пациентка абонент сотрудник работник студент ученик участник водитель пассажир владелец
    респондент заемщик житель उपयोगकर्ता ग्राहक रोगी मरीज कर्मचारी छात्र सदस्य व्यक्ति ব্যবহারকারী গ্রাহক রোগী কর্মচারী ছাত্র
    সদস্য ব্যক্তি
    """
)
# The same where the word that says what it is comes first (Arabic, Indonesian, the genitive of Russian and Polish):
# alone, or after a word for an id or number. `umur pasien` is an age.
OWNER_NOUNS = word_set(
    """
    مستخدم المستخدم عميل العميل مريض المريض موظف الموظف طالب الطالب عضو العضو زبون الزبون مشترك المشترك
    pengguna pelanggan pasien karyawan pegawai siswa mahasiswa anggota nasabah pengemudi penumpang responden peserta
    пользователя клиента пациента абонента сотрудника работника студента ученика участника водителя пассажира владельца
    респондента заемщика pacjenta klienta uzytkownika pracownika studenta ucznia pasazera kierowcy
    """
)
_CHINESE_PERSON = re.compile(
    "(用户|客户|患者|病人|会员|员工|学生|顾客|乘客|司机|居民|参与者|借款人)(id|编号|号码|号|标识|代码)?$"
)
# Things that belong to somebody: they name a person with a word for an id or number beside them.
DEVICE_NOUNS = word_set(
    """
    device phone mobile handset sim mac vehicle car cab taxi bike bicycle scooter vessel ship boat aircraft
    plane truck plate licence license badge tag transponder telephone trip ride journey track trajectory session
    visit order transaction fahrzeug geraet gerat handy telefon fahrt vehicule appareil voyage vehiculo telefono viaje
    veicolo viaggio veiculo telefone viagem voertuig rit pojazd auto
    """
)
# What one person does several times: the id of one is no person where another column tells whose it is.
TRIP_NOUNS = word_set(
    "trip ride journey track trajectory session visit order transaction fahrt voyage viaje viaggio viagem"
)
NUMBER_WORDS = word_set(
    """
    no nr num number nummer numero numer code key kennung hash ref reference token pseudonym identifier nomor kode
    номер код संख्या क्रमांक नंबर নম্বর رقم كود
    """
)
ID_WORDS = word_set(
    """
    id uid uuid guid identifier identifiant identificador identificativo identyfikator kennung pseudonym
    ид идентификатор आईडी আইডি معرف المعرف
    """
)
# Ids of these name places, products or kinds: nobody.
THING_NOUNS = word_set(
    """
    station stop location loc place venue poi cell zone area region city town county country state district zip
    postal street road route line edge node store shop branch site building room ward department dept school
    class course grade product item article sku category type kind group segment plan tariff brand model color
    colour currency language status genre species taxon dataset source file table version year month week day
    hour server page url campaign occupation industry cluster diagnosis disease drug icd treatment procedure
    test question template ontology term vendor supplier merchant company
    firm carrier operator hospital clinic movie film song album artist book game episode
    standort ort stadt land produkt artikel kategorie typ gruppe filiale
    lieu ville pays produit article categorie magasin lugar ciudad pais producto articulo categoria tienda grupo
    luogo citta paese prodotto articolo negozio cidade produto artigo loja plaats stad product winkel categorie
    miejsce miasto kraj produkt sklep kategoria
    """
)
_OF = word_set("of for by per from to in at with de du des del della di da do dos von der des van na z w")
_SEVERAL = word_set("people persons kunden patienten")  # a number of people is a count
_NOT_IDS = word_set(
    """
    paid unpaid prepaid valid invalid covid grid hybrid solid liquid fluid humid rapid acid amid mid bid aid
    maid raid said kid lid rid hid did void avoid squid stupid rigid arid lipid vivid madrid david druid
    medicaid placid lucid morbid splendid timid candid orchid pyramid eyelid quid tepid torrid overpaid plaid
    """
)
_QUALIFIERS = word_set("is has was foreign new existing regular active current former returning repeat private")
_GERMAN_AND_DUTCH = re.compile(  # one word for both: kundennummer, patientennr, klantnummer
    r"^(kund|patient|person|nutzer|benutzer|versicher|mitglied|teilnehmer|matrikel|karten|fahrgast|schueler|schuler|mitarbeiter|"
    r"haushalt|klant|persoon|lid|kaart|bsn|polis)\w*(nummer|nr|kennung|id|code)$"
)
_FLAGS = word_set(
    """
    0 1 y n t f yes no true false ja nein j oui non si nao sim tak nie nee on off none
    """
)
_WRITTEN_AS_ID = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"  # UUID
    r"|[^@\s]+@[^@\s]+\.[^@\s]+"
    r"|[0-9a-f]{2}([:-][0-9a-f]{2}){5}"
    r"|(?=\w*[a-f])(?=\w*\d)[0-9a-f]{16,}",  # digest
    re.IGNORECASE,
)
BY_NOUN, BY_NAME, BY_ROLE, BY_FORM = 0, 1, 2, 3  # how a column is known, the surest first
_LOOKED_AT = 1000  # distinct values whose form is looked at
_NEARLY_ALL = 0.95


@dataclass(frozen=True)
class PersonLike:
    """A column that seems to name people: `values` different ones in `rows` records."""

    column: str
    values: int
    rows: int
    reason: str
    records: str = "rows"

    @property
    def question(self) -> str:
        """What whoever reads the data is asked."""
        return (
            f"Does one person have several {self.records}? Column '{self.column}' {self.reason}, and it has "
            f"{self.values:,} {'value' if self.values == 1 else 'different values'} in {self.rows:,} {self.records}."
        )


def person_undecided(like: PersonLike, where: str | None = None) -> PersonUndecided:
    """The refusal, with both remedies."""
    return PersonUndecided(
        f"{like.question} Say person={like.column!r} if it names the person, so that people are counted; say "
        f"each_row_is_a_person=True if every one of the {like.records} is another person.",
        where=where,
        column=like.column,
        values=like.values,
        rows=like.rows,
        reason=like.reason,
        records=like.records,
    )


def refuse_undecided_names(names: Iterable[str], records: str = "rows") -> None:
    """Under differential privacy nothing is asked of the records: a name that identifies is enough to be asked."""
    for name in names:
        if identifies_by_name(name):
            raise PersonUndecided(
                f"Does one person have several {records}? Column '{name}' has a name that identifies, and under "
                f"differential privacy no record is looked at to tell. Say that it names the person (person={name!r}), "
                "so that so many records of each count as `records_per_person` says; or that every one is another "
                "person (each_row_is_a_person=True)."
            )


def person_like_column(
    frame: pl.DataFrame,
    *,
    typed: Collection[str] = (),
    skip: Collection[str] = (),
    records: str = "rows",
) -> PersonLike | None:
    """The column of a table that seems to name people; `typed` have the role identifier, `skip` are not looked at."""
    candidates = (
        (name, frame[name].drop_nulls(), name in typed)
        for name in frame.columns
        if name not in skip and not frame[name].dtype.is_nested()
    )
    return first_person_like(
        ((name, known.unique(), len(known), is_typed) for name, known, is_typed in candidates), frame.height, records
    )


def person_like_beside(frame: pl.DataFrame, id: str, *, skip: Collection[str] = ()) -> PersonLike | None:
    """The column of a long table that seems to name people who have several records; `id` names the record of a row."""
    rest = [name for name in frame.columns if name not in skip and not frame[name].dtype.is_nested()]
    found = []
    for name in rest:
        pairs = frame.select(pl.col(id).alias("record"), pl.col(name).alias("value")).drop_nulls().unique()
        found.append((name, pairs["value"].unique(), pairs.height, False))
    return first_person_like(found, frame[id].n_unique(), "records")


def first_person_like(
    columns: Iterable[tuple[str, pl.Series, int, bool]], rows: int, records: str = "rows"
) -> PersonLike | None:
    """The column (name, distinct values, cells with a value, role identifier) that is likeliest to name people.

    A name that says so comes before a role, a role before the form of the values, a noun for a person before a mere id;
    of equals the one with most values.
    """
    found: list[tuple[int, int, PersonLike]] = []
    each_is_named = False
    for name, values, present, typed in columns:
        if present <= len(values) or not len(values):
            each_is_named |= present == rows == len(values) and names_a_person(name)
            continue
        rank, reason = _why(name, values, typed)
        if reason is not None:
            found.append((rank, -len(values), PersonLike(name, len(values), rows, reason, records)))
    if each_is_named:
        found = [one for one in found if one[0] != BY_ROLE]
    return min(found, key=lambda one: one[:2])[2] if found else None


def may_name_people(name: str, *, text: bool) -> bool:
    """Whether `first_person_like` could choose a column by its name, or by the form of its texts."""
    return text or identifies_by_name(name)


def _why(name: str, values: pl.Series, typed: bool) -> tuple[int, str | None]:
    """How surely a column names people (0 is surest) and why; no reason where it does not."""
    if identifies_by_name(name) and not tells_of_people(name, len(values)):
        rank = BY_NOUN if names_a_person(name) else BY_NAME
        return rank, "has a name that identifies" if holds_ids(values) else None
    if typed:
        return BY_ROLE, "has the role identifier" if len(values) > 1 else None
    if not names_a_thing(name) and written_as_ids(values):
        return BY_FORM, "holds values that are written like ids"
    return BY_FORM, None


def tells_of_people(name: str, values: int) -> bool:
    """Whether a column of this name with so many values says something of people and names none: `foreign_worker`."""
    return values <= 2 and bool(_QUALIFIERS.intersection(words_of(name)[:1]))


def words_of(name: str) -> list[str]:
    """The words of a column's name in small letters without accents: the same for `patientID` and `patient_id`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", _without_accents(name))
    return "".join(sign if unicodedata.category(sign)[0] in "LNM" else " " for sign in spaced.lower()).split()


def identifies_by_name(name: str) -> bool:
    """Whether the head of a name is an id, a noun for a person, or a number of one."""
    words, after = _divided(words_of(name))
    if not words or names_a_thing(name):
        return False
    head, before = words[-1], [*words[:-1], *after]
    if head in OWNER_NOUNS:
        return not before or words[0] in ID_WORDS or words[0] in NUMBER_WORDS
    if head in ID_WORDS or head in PERSON_NOUNS or _is_id_word(head) or _GERMAN_AND_DUTCH.match(head):
        return True
    if head in NUMBER_WORDS:
        return any(word in PERSON_NOUNS or word in DEVICE_NOUNS for word in before)
    if _CHINESE_PERSON.search(head):
        return True
    joined = next((head.removesuffix(word) for word in sorted(NUMBER_WORDS, key=len) if head.endswith(word)), "")
    return joined in PERSON_NOUNS or joined in DEVICE_NOUNS


def names_a_person(name: str) -> bool:
    """Whether a name identifies somebody, not only a record: `patient_id`, `user`; not `id` or `video_id`."""
    return identifies_by_name(name) and any(word.removesuffix("id") in PERSON_NOUNS for word in words_of(name))


def names_a_mover(name: str) -> bool:
    """Whether a name is that of somebody or something that moves: an id, a person, a vehicle or another device."""
    return identifies_by_name(name) or (not names_a_thing(name) and not DEVICE_NOUNS.isdisjoint(words_of(name)[-1:]))


def names_a_trip(name: str) -> bool:
    """Whether a name is that of a trip, an order or the like, of which one person has several."""
    words, _ = _divided(words_of(name))
    return any(word.removesuffix("id") in TRIP_NOUNS for word in words[-2:])


def names_a_thing(name: str) -> bool:
    """Whether a name says that its ids are those of places, products or kinds."""
    words, after = _divided(words_of(name))
    if after and words and (words[-1] in ID_WORDS or words[-1] in NUMBER_WORDS):
        return after[0] in THING_NOUNS
    if len(words) > 1 and (words[-1] in ID_WORDS or words[-1] in NUMBER_WORDS):
        return words[-2] in THING_NOUNS
    return bool(words) and words[-1].removesuffix("id") in THING_NOUNS


def _divided(words: list[str]) -> tuple[list[str], list[str]]:
    """The words up to the first "of", and those after it: `status_of_account` is a status."""
    slot = next((index for index, word in enumerate(words) if index and word in _OF), len(words))
    return words[:slot], [word for word in words[slot:] if word not in _OF and word not in _SEVERAL]


def _is_id_word(word: str) -> bool:
    """`bikeid`, `duid`; not `paid` or `thyroid`."""
    return word.endswith("id") and not word.endswith("oid") and word not in _NOT_IDS


def holds_ids(values: pl.Series) -> bool:
    """Whether distinct values could be ids: text or whole numbers, not only yes and no."""
    dtype = values.dtype
    if dtype in (pl.Categorical, pl.Enum):
        values, dtype = values.cast(pl.String), pl.String()
    if dtype.is_float() or dtype.is_decimal():
        numbers = values.cast(pl.Float64)
        return bool((numbers == numbers.round()).all())
    if not (dtype.is_integer() or dtype == pl.String):
        return False
    if dtype == pl.String:
        numbers = values.str.strip_chars().cast(pl.Float64, strict=False)
        if not numbers.has_nulls() and not (numbers == numbers.round()).all():
            return False
    return len(values) > 2 or not all(_plain(value) in _FLAGS for value in values.to_list())


def written_as_ids(values: pl.Series) -> bool:
    """Whether nearly all distinct values are UUIDs, addresses or digests."""
    if values.dtype in (pl.Categorical, pl.Enum):
        values = values.cast(pl.String)
    if values.dtype != pl.String or len(values) < 2:
        return False
    shown = values.head(_LOOKED_AT).to_list()
    fitting = sum(_WRITTEN_AS_ID.fullmatch(value.strip()) is not None for value in shown)
    return fitting >= _NEARLY_ALL * len(shown)


def _plain(value: object) -> str:
    return "".join(words_of(str(value)))
