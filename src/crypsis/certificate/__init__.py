"""The certificate of a release: one PDF that says what was published, under which promise, and who answers for it.

It is a function of the release folder and of what the publisher declares (`About`); it may travel with the release.
"""

from __future__ import annotations

from crypsis.certificate.content import Section, certificate_sections
from crypsis.certificate.page import write_certificate
from crypsis.reports.about import About, read_about

__all__ = ["About", "Section", "certificate_sections", "read_about", "write_certificate"]
