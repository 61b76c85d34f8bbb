export function connect(onMessage: () => void): WebSocket {
  const socket = new WebSocket(`ws://${location.host}/live`);
  socket.onmessage = onMessage;
  return socket;
}
