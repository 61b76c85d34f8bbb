const express = require('express');
const stock = { bolts: 120, nuts: 80 };
const app = express();
app.get('/api/stock', function (req, res) { res.json(stock); });
app.listen(4118, function () { console.log('Listening on port 4118'); });
