export type Booking = { id: number; room: string; begins: string };

export async function fetchBookings(): Promise<Booking[]> {
  const response = await fetch("/api/bookings");
  return (await response.json()) as Booking[];
}
