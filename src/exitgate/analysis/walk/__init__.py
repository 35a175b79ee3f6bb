"""
The boundary walk: every point at which a decision can change, visited region by region.

A *cluster* is one fact, or several that determine each other, with the choices it has: the points
around each constant it meets, and unknown. A *region* gives each cluster of each iteration a set of
choices. `abstract_eval` says what a condition can be in a region, `search` splits a region where that is
not settled, by the outcome of one test, until it is: no point is passed over, and most are never
looked at one by one.
"""
