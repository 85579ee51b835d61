// machine
