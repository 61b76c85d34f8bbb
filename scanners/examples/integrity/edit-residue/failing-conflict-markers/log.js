<<<<<<< HEAD
const harbour = 'north'
=======
const harbour = 'south'
>>>>>>> feature/harbour
console.log(harbour)
