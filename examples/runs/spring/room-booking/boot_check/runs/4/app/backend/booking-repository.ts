import Database from "better-sqlite3";

export class BookingRepository {
  private readonly db;

  constructor(file: string) {
    this.db = new Database(file);
    this.db.exec("CREATE TABLE IF NOT EXISTS booking (id INTEGER PRIMARY KEY, room TEXT, begins TEXT)");
  }

  all(): unknown[] {
    return this.db.prepare("SELECT id, room, begins FROM booking").all();
  }

  remove(id: number): void {
    this.db.prepare("DELETE FROM booking WHERE id = ?").run(id);
  }
}
