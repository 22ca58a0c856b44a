"""Build the course as a site: pages from the built notebooks, for a folder or a web host, without Python."""
