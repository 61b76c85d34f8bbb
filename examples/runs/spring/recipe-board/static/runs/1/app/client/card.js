export const card = ({ name, tags = [] }) => `
  <div class="card">
    <h2>${name}</h2>
    ${tags.map((tag) => `<span>${tag}</span>`).join(' ')}
  </div>`
