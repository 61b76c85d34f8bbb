export const card = (name) => Object.assign(document.createElement('article'), { textContent: name })
