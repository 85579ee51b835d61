// footprint
