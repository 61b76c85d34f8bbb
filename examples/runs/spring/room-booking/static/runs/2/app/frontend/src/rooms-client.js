const ROOMS_URL = "/api/rooms";

export function loadRooms() {
  return fetch(ROOMS_URL).then((response) => response.json());
}
