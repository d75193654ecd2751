"""What leaves the building, as files. PUBLIC.

``result``             a release as it was made
``certify``            the certificate of one that was just made
``asked``              questions as they were answered
``answers``            the files of answers
``certify_answers``    the certificate of answers that were just given
``certificate``        certificates, read and written
``certificate_parts``  what they are made of
``drawn``              dummies, and rows of a release drawn once more
``declaration``        what is promised of the declaration, and of rows that fit it
``claims``             what is promised, in words
``linked``             a release of linked tables, and its files
``scores``             utility scores, as a certificate has them
``typed_json``         dataclasses as JSON, read strictly
``schema``             the published JSON schemas, made from the certificate's classes
``resources``          what each file is, in one table
``data_package``       the bundle as a Frictionless data package
``croissant``          the same for catalogues of machine learning
``ddi``                the same for data archives, with counts of synthetic rows
``exports``            synthetic rows for Excel, SPSS, Stata, SAS and typed Parquet
``writer``             the one writer of all files
``archive``            all of them in one zip
``parts``              rows as a folder of parts, each written by whoever has it
``parted``             a release whose rows are held and written like that
``texts``              statement, commands and the other texts
``dictionary``         the data dictionary, and the domain for SDV
``guard``              cells that no spreadsheet runs
``replicas``           tables like the release's own, as files of a folder
``guide``              how to use the files: what is kept, and worked examples
``notebook``           these examples as a notebook
``report``             the report, one HTML page
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.bundle.answers import DECLARATION, INQUIRY, STATEMENT, writers_of
    from synth.bundle.archive import Archive, PLAN, REPORT, read_archive, read_folder
    from synth.bundle.asked import Asked
    from synth.bundle.certificate import AnswersCertificate, Certificate, DrawnCertificate
    from synth.bundle.certificate import HistogramCertificate
    from synth.bundle.certificate import LinkedCertificate
    from synth.bundle.certificate import MarginalsCertificate, REFUSALS, ReleaseCertificate, form_of
    from synth.bundle.certificate_parts import AnswerRecord, ChoiceNoise, LeastMove, MoveRecord
    from synth.bundle.certificate_parts import Payment, PortionRecord, ScoreRecord
    from synth.bundle.certify import ROUNDING, certify_model, make_certificate
    from synth.bundle.certify import record_identifiers
    from synth.bundle.certify_answers import grain_of, portion_record, rows_in_words
    from synth.bundle.claims import claim_of, claim_of_answers
    from synth.bundle.data_package import describe_files
    from synth.bundle.ddi import DDI, codebook
    from synth.bundle.declaration import beyond_answers, beyond_domain, beyond_of, check_declaration
    from synth.bundle.declaration import check_fit_said, check_prepared, last_check
    from synth.bundle.declaration import without_preparations
    from synth.bundle.drawn import DrawnRows, draw_dummy, draw_more, drawn_name
    from synth.bundle.drawn import drawn_writers
    from synth.bundle.exports.export import MANIFEST, NOTES, export, manifest
    from synth.bundle.exports.export import notes_on, package_versions
    from synth.bundle.exports.format import FileFormat
    from synth.bundle.exports.registry import FORMATS, formats_named
    from synth.bundle.exports.tables import CSV, BUNDLED_TABLES
    from synth.bundle.guard import guarded, guarded_domain, guarded_table, is_guarded
    from synth.bundle.guard import write_guarded
    from synth.bundle.guide import GUIDE, guides
    from synth.bundle.linked import LinkedResult, certify_linked, describe_linked, linked_claim
    from synth.bundle.linked import linked_texts, payment_of, roots_in_words, table_files
    from synth.bundle.linked import write_noisy
    from synth.bundle.parted import PartedResult
    from synth.bundle.parts import Manifest, PARTS, PieceWriter, WrittenPart, joined_digest
    from synth.bundle.parts import part_name
    from synth.bundle.replicas import RULE, check_replicates, replica_formats, warn_unmeasured
    from synth.bundle.replicas import write_replicates
    from synth.bundle.report import gallery, noise_shape, page, write_report
    from synth.bundle.resources import DESCRIBING, TABLE, WrittenFile
    from synth.bundle.result import Result
    from synth.bundle.scores import check_paid, noise_of, record_score, said_of, score_reach
    from synth.bundle.scores import scored_pairs, with_score, without_scores
    from synth.bundle.texts import at_most, in_words, json_bytes, posterior, write_texts
    from synth.bundle.typed_json import WrongFormError, read_typed, write
    from synth.bundle.writer import CERTIFICATE, DOMAIN, NOISY, PARQUET, PARTED, SYNTHETIC
    from synth.bundle.writer import free_folder, noisy_table, prepare, replace_file, sha256

__getattr__ = offer(__name__)
