"""Examples of imports for the documentation."""

CHECKING = {
    "id": 12,
    "kind": "items",
    "state": "checking",
    "created_at": "2026-11-30T09:00:00Z",
    "confirm_ahead": False,
    "progress": {"phase": "files", "done": 3, "total": 40},
    "counts": None,
    "n_problems": 0,
    "problems": [],
    "warnings": [],
    "error": "",
    "links": {
        "self": "https://concord.example.org/api/v1/studies/weddings/imports/12/",
        "confirm": "https://concord.example.org/api/v1/studies/weddings/imports/12/confirm/",
        "problems": "https://concord.example.org/api/v1/studies/weddings/imports/12/problems.csv",
        "preview": "https://concord.example.org/admin/studies/study/7/import/12/",
    },
}
REFUSED = CHECKING | {
    "state": "refused",
    "progress": None,
    "counts": {"created": 39, "updated": 0, "unchanged": 0, "refused": 1},
    "n_problems": 1,
    "problems": [
        {
            "index": 4,
            "line": None,
            "field": "country",
            "value": "Nepaal",
            "wrong": "Not a country",
            "fix": "Did you mean Nepal (NP)?",
        }
    ],
}
