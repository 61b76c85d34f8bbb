import express from 'express'
express().get('/api/notes', (req, res) => res.json(['a'])).listen(4407)
