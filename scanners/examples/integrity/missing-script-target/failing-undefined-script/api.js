console.log('kites')
