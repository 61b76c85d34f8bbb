export interface Shift { day: string; who: string }

export const getShifts = (): Promise<Shift[]> => fetch("/rest/shifts").then((r) => r.json())
