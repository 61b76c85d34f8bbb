const path = require("path");

exports.PORT_FILE = path.join(__dirname, "..", ".backend-port");
