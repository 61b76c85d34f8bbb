import express from "express";
import { createServer } from "vite";
import { VoteRepository } from "./vote-repository";

async function bootstrap(): Promise<void> {
  const votes = new VoteRepository();
  const app = express();
  app.get("/api/votes", (_req, res) => {
    res.json(votes.totals());
  });
  const vite = await createServer({ server: { middlewareMode: true, hmr: { port: 24820 } } });
  app.use(vite.middlewares);
  app.listen(4820, () => console.log("http://localhost:4820"));
}

void bootstrap();
