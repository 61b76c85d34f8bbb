const url = new URL('/api/ws', location.href)
url.protocol = url.protocol.replace('http', 'ws')
const socket = new WebSocket(url)
socket.addEventListener('message', ({ data }) => console.log(data))
const { x, y } = (await (await fetch('/api/cursor')).json()) as { x: number; y: number }
document.querySelector('canvas')!.getContext('2d')!.fillRect(x, y, 4, 4)
