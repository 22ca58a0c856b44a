"""The course as a site: pages made from the built notebooks, that open from a folder or a web host, without Python."""
