import { request } from './http'

const ul = document.querySelector('ul')!
for (const task of await request<{ text: string }[]>('/tasks')) {
  ul.append(Object.assign(document.createElement('li'), { textContent: task.text }))
}
