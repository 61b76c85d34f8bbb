import api from './api.js'
api.habits().then((habits) => { grid.textContent = habits.map((h) => h.name).join() })
