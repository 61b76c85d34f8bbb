fetch('/api/maps').then((r) => r.json()).then((pins) => { map.textContent = pins.join() })
