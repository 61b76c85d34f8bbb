export const API_URL = "http://localhost:4806";
