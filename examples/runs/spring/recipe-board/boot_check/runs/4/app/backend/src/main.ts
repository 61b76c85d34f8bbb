import express, { type Request, type Response } from "express";
import { MemoryRecipes } from "./memory-recipes";

const DEFAULT_PORT = 4803;
const repository = new MemoryRecipes();
const app = express();

app.use(express.json());

app.get("/api/v1/recipes", (_req: Request, res: Response) => {
  res.json(repository.findAll());
});

app.post("/api/v1/recipes", (req: Request, res: Response) => {
  res.status(201).json(repository.insert(req.body));
});

app.listen(Number(process.env.PORT ?? DEFAULT_PORT));
