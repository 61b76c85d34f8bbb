import express from 'express'
import cors from 'cors'
express().use(cors()).get('/jobs', (req, res) => { res.json(['Baker']) }).listen(4285)
