"""What the examples share: tools over a folder of logs, a scripted model behind HTTP, a display."""
