import { http } from './http'

type Item = { title: string; read: boolean }
http.get<Item[]>('/feed').then((items) => {
  document.getElementById('feed')!.textContent = items.map((item) => item.title).join(', ')
})
