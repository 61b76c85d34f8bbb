const express = require('express');

const app = express();
app.use(express.json());

let notes = [{ id: 1, text: 'Buy stamps' }];

app.get('/api/notes', (req, res) => res.json(notes));
app.delete('/api/notes/:id', (req, res) => {
  notes = notes.filter((note) => note.id !== Number(req.params.id));
  res.sendStatus(204);
});

app.listen(4171);
