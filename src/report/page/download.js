// download
