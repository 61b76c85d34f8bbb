'use strict';
const express = require('express');
const router = express.Router();
router.get('/weather', (req, res) => res.json({ place: 'Brno', degrees: 14 }));
express().use('/v2', router).listen(4106);
