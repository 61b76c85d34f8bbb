/*
Poems
=======
*/
// wait... the other file has the long ones
console.log('…and then it rained')
