import express from 'express'

express().get('/bread', (_, r) => r.json(1)).listen(4861)
