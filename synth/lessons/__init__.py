"""Live pictures of the notes, and a simulated survey, for learning. PUBLIC.

``noises``    shapes of noise, their losses, and their errors
``releases``  compositions, choices, histograms and means
``losses``    the three definitions, by the privacy loss of one payment
``drawing``   lines and bars with their alternative text and tables
``survey``    20,000 simulated people
``clinic``    4,000 simulated patients and their visits
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.lessons.clinic import (
        PATIENTS,
        clinic_package,
        simulate_clinic,
        write_linked_example,
    )
    from synth.lessons.survey import (
        ROWS,
        SURVEY_COLUMNS,
        SURVEY_NAME,
        survey_domain,
        write_example,
    )

__getattr__ = offer(__name__)
