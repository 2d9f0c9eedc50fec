"""Snapshots: what an audience may see of the table, as plain JSON values.

The page draws a snapshot and knows no rules, so everything it shows is here. Built from an
allow-list: nothing of the state leaks by being added to it. Shape (four-handed game)::

  {"version": 12,                      # facts folded; the page asks for changes after it
   "game": {"id": "...", "title": "", "preset": "home", "target": 10, "started_at_us": 0,
            "over": false, "winner": null, "dealer": 0 | null},
   "sides": [{"side": 0, "name": "North and South", "score": 4, "tricks": 2, "makers": true}],
   "seats": [{"seat": 0, "name": "North", "side": 0, "dealer": false, "turn": true,
              "maker": false, "alone": false, "sits_out": false, "cards_left": 3}],
   "deal": null | {"number": 3, "dealer": 0 | null,
            "phase": "bidding" | "play" | "undeclared" | "scored",
            "upcard": null | {"card": "Kh", "state": "shown" | "taken" | "turned_down",
                              "version": 7},
            "trump": "h" | null, "maker": 2 | null, "alone": [2],
            "tricks": [{"number": 1, "leader": 1, "winner": 3 | null, "cleared": true,
                        "plays": [{"seat": 1, "card": "9h" | null, "version": 9,
                                   "confidence": 0.99, "evidence": "hash" | null,
                                   "last": false, "winning": false, "review": null | 9}]}],
            "points": null | [0, 2], "result": null | "euchre" | "march" | "made" | ...},
   "deals": [{"number": 1, "dealer": 0, "maker": 1 | null, "trump": "c" | null,
              "alone": [], "tricks": [2, 3], "points": [0, 1], "score": [0, 1],
              "result": "made"}],
   "ask": null | {"kind": "declare" | "review" | "finding" | "confirm" | "upcard" | "dealer",
                  "text": "one plain sentence", "deal": 3},
   "reviews": [{"id": 9, "subject": "play", "seat": 2 | null, "candidates": [["Kh", 0.6]],
                "reason": "unsure", "text": "one plain sentence", "evidence": "hash" | null,
                "deal": 3, "trick": 2}],
   "findings": [{"id": "3:revoke:2:1", "kind": "revoke", "deal": 3, "seat": 2, "trick": 1,
                 "card": "9c", "led": "Ah", "proof": "Kd", "proven_at_trick": 3,
                 "text": "one plain sentence", "evidence": ["hash", "hash"],
                 "status": "open" | "upheld" | "dismissed", "ruling": "proposed ruling in words"}],
   "history": [{"version": 12, "at_us": 0, "source": "camera", "text": "East played the 9 of
                clubs", "kind": "card_played", "struck": false, "card": "9c" | null,
                "seat": 1 | null}]}   # newest last, the last 30
"""
