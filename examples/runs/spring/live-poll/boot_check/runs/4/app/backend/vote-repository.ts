import Database from "better-sqlite3";

export class VoteRepository {
  private readonly db = new Database(":memory:");

  constructor() {
    this.db.exec("CREATE TABLE votes (choice TEXT)");
  }

  totals(): unknown[] {
    return this.db.prepare("SELECT choice, count(*) AS total FROM votes GROUP BY choice").all();
  }
}
