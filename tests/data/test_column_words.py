"""Meanings of column names in the languages that the word lists know."""

from __future__ import annotations

import pytest

from crypsis.data.column_words import LANGUAGES, _known, meanings_of
from crypsis.data.person_detection import identifies_by_name

MEANINGS = {  # names, separated by commas
    "person_name": """
        Name, patientName, first_name, Nachname, nombre del paciente, nom de famille, nome do cliente,
        患者姓名, रोगी का नाम, اسم المريض, রোগীর নাম, ФИО, Фамилия, nama pasien, imię pacjenta, Nazwisko, Cognome,
        Soyad, Adı
    """,
    "email": """
        E-Mail, email_address, correo electrónico, 电子邮件, ईमेल, البريد الإلكتروني, ইমেইল, surel
    """,
    "phone": """
        phone, Telefonnummer, móvil, 手机号, मोबाइल नंबर, رقم الهاتف, মোবাইল নম্বর, номер телефона, no hp
    """,
    "address": """
        street address, Anschrift, dirección, 住址, पता, العنوان, ঠিকানা, endereço, адрес, alamat
    """,
    "national_id": """
        SSN, Personalausweis, DNI, 身份证号, आधार संख्या, الرقم القومي, CPF, СНИЛС, NIK, Codice fiscale, TC Kimlik No
    """,
    "postcode": """
        zip, ZIPCODE, PLZ, código postal, 邮编, पिन कोड, الرمز البريدي, CEP, почтовый индекс, kode pos
    """,
    "birth": """
        date_of_birth, birth year, Geburtsdatum, fecha de nacimiento, 出生日期, जन्म तिथि, تاريخ الميلاد,
        date de naissance, জন্ম তারিখ, data de nascimento, дата рождения, tanggal lahir, Data urodzenia, Jahrgang,
        Data di nascita, Doğum Tarihi
    """,
    "sex": """
        Sex, gender, Geschlecht, sexo, 性别, लिंग, الجنس, sexe, লিঙ্গ, пол, jenis kelamin, Płeć, sesso, Cinsiyet
    """,
    "diagnosis_code": """
        icd10, dx01, ICD9CODX, diagnosis, Hauptdiagnose, 诊断编码, код диагноза, kode diagnosa
    """,
    "disease": """
        disease, Krankheit, enfermedad, 疾病, बीमारी, المرض, maladie, রোগ, doença, заболевание, penyakit,
        診断名, Rozpoznanie
    """,
    "income": """
        salary-class, income, Einkommen, salario, 收入, वेतन, الراتب, revenu, বেতন, salário, зарплата, gaji, Dochód
    """,
    "belief": """
        religion, Konfession, 宗教, धर्म, الديانة, ধর্ম, religião, вероисповедание, agama
    """,
    "weight": """
        fnlwgt, survey_weight, PERWT, Gewichtungsfaktor, factor de expansión, 抽样权重
    """,
    "marital_status": """
        marital-status, Familienstand, estado civil, 婚姻状况, वैवाहिक स्थिति, الحالة الاجتماعية,
        situation familiale, বৈবাহিক অবস্থা, семейное положение, status perkawinan
    """,
}
CASES = [(meaning, name.strip()) for meaning, names in MEANINGS.items() for name in names.split(",")]


@pytest.mark.parametrize(("meaning", "name"), CASES)
def test_a_name_has_its_meaning_in_every_language(meaning: str, name: str) -> None:
    assert meanings_of(name)[0].name == meaning


@pytest.mark.parametrize(
    "name",
    [
        "start_station_name",
        "product name",
        "file_name",
        "phone brand",
        "country name",
        "nama produk",
        "x",
        "",
        "q17",
        "视频",
    ],
)
def test_names_of_things_are_no_names_of_people(name: str) -> None:
    assert all(meaning.role != "identifier" for meaning in meanings_of(name))


def test_every_meaning_is_known_in_every_language() -> None:
    known = _known()
    terms = [term for terms in known.exact.values() for term in terms] + known.beginnings + known.unspaced
    meanings = {term.meaning.name for term in terms}
    assert {(term.meaning.name, term.language) for term in terms} == {
        (m, tongue) for m in meanings for tongue in LANGUAGES
    }
    assert all(term.words for term in terms)
    assert all(len(term.words) == 1 for term in known.beginnings)


@pytest.mark.parametrize(
    "name",
    [
        "用户ID",
        "患者编号",
        "код клиента",
        "пациент",
        "रोगी",
        "ग्राहक संख्या",
        "গ্রাহক",
        "رقم المريض",
        "المريض",
        "nomor pasien",
        "id pelanggan",
    ],
)
def test_people_are_named_in_other_scripts_too(name: str) -> None:
    assert identifies_by_name(name)


@pytest.mark.parametrize("name", ["umur pasien", "عمر المريض", "возраст пациента", "患者年龄", "कार्य"])
def test_what_belongs_to_people_names_nobody(name: str) -> None:
    assert not identifies_by_name(name)
