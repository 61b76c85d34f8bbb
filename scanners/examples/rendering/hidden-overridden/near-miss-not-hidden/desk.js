const banner = document.querySelector('.banner')
banner.hidden = new Date().getDay() < 9
