document.querySelector('canvas').getContext('2d').fillRect(0, 0, 9, 9)
