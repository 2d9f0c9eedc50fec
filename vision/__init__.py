"""Eyes: frames in, sightings out. Knows the cards' names and no rule of the game."""
