"""The simulated table: four players, drawn cards, a camera over them and a shuffler."""
