// drawing
