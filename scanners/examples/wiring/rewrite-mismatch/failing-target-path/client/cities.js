document.querySelector('p').textContent = (await fetch('/v1/cities').then((r) => r.json())).join()
