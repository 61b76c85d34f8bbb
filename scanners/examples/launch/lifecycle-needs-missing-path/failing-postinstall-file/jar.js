console.log('jam')
