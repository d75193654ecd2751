"""The names of the files of a release, in a light module. PUBLIC."""

# The rows, in two formats.
SYNTHETIC = "synthetic.csv"
PARQUET = "synthetic.parquet"
# The folders of rows in parts have the names of these files.
PARTED = (SYNTHETIC, PARQUET)
# The list of the parts.
PARTS = "parts.json"

NOISY = "noisy_counts.csv"
DOMAIN = "domain.json"
PLAN = "plan.json"
CERTIFICATE = "certificate.json"
OPEN_PAGE = "open.html"
# What the formats of other programs cannot express of these columns.
NOTES = "formats.txt"
# The published form of the bundle's certificate.
SCHEMA = "certificate.schema.json"
