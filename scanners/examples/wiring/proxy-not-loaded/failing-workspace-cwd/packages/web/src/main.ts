import { getShifts } from "./rest"

const app = document.querySelector<HTMLDivElement>("#app")!
const shifts = await getShifts()
app.textContent = shifts.map((shift) => `${shift.day}: ${shift.who}`).join("\n")
