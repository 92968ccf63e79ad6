window.BENCHMARK_DATA = {
  "lastUpdate": 1700000000000,
  "repoUrl": "https://example.com/r",
  "entries": {
    "hello": [
      {"commit": {"id": "0123abc", "message": "v1.2.0"}, "date": 1700000000000, "tool": "customBiggerIsBetter", "benches": [{"name": "score", "unit": "points", "value": 10}]},
      {"commit": {"id": "4567def", "message": "v1.3.0"}, "date": 1700100000000, "tool": "customSmallerIsBetter", "benches": [{"name": "score", "unit": "points", "value": 12}]}
    ]
  }
}
