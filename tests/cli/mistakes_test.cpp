// What the command says when something is wrong: one paragraph on standard error, exit code 2 for
// wrong usage and 1 for everything else, no file left behind.

#include "cli/session.h"

namespace mercer {
namespace {

class Mistakes : public testing::Session {
 protected:
  void SetUp() override {
    write("good.csv", "x,y\n1,2\n3,4.5\n-1,0\n2,2\n");
    before_ = folder_.file_count();
  }
  void TearDown() override { EXPECT_EQ(folder_.file_count(), before_) << "left something behind"; }

  std::size_t before_ = 0;
};

TEST_F(Mistakes, UnknownWordsAreNamedWithTheNearestKnown) {
  expect_error("fti good.csv", 2, "unexpected argument 'fti'; did you mean fit?");
  expect_error("fit good.csv -o m.mercer --componets 3", 2,
               "unexpected argument '--componets'; did you mean --components?");
  expect_error("fit good.csv -o m.mercer --kernel gausian", 2, "did you mean gaussian?");
  expect_error("fit good.csv -o m.mercer surplus", 2, "unexpected argument 'surplus'");
  expect_error("--nonsense", 2, "unexpected argument '--nonsense'");
}

TEST_F(Mistakes, MissingWordsAreNamed) {
  expect_error("fit", 2, "DATA is required");
  expect_error("fit good.csv", 2, "--output is required");
  expect_error("transform m.mercer", 2, "DATA is required");
  const testing::Outcome nothing = mercer_says("");
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_NE(nothing.err.find("Usage: mercer"), std::string::npos);
}

TEST_F(Mistakes, NumbersMustBeNumbers) {
  expect_error("fit good.csv -o m.mercer --components three", 2, "'three' is not a whole number");
  expect_error("fit good.csv -o m.mercer --components -3", 2, "'-3' is not a whole number");
  expect_error("fit good.csv -o m.mercer --components 2.5", 2, "'2.5' is not a whole number");
  expect_error("fit good.csv -o m.mercer --gamma nan", 2, "'nan' is not a number");
  expect_error("fit good.csv -o m.mercer --gamma 1x", 2, "'1x' is not a number");
  expect_error("fit good.csv -o m.mercer --memory-limit 4Q", 2, "'4Q' is not an amount of memory");
  expect_error("fit good.csv -o m.mercer --memory-limit -4G", 2, "is not an amount of memory");
}

TEST_F(Mistakes, ValuesOutOfRangeAreWrongUsage) {
  expect_error("fit good.csv -o m.mercer --gamma -1", 2, "gamma of the gaussian kernel is -1");
  expect_error("fit good.csv -o m.mercer --gamma 0", 2, "gamma");
  expect_error("fit good.csv -o m.mercer --components 0", 2, "components is 0");
  expect_error("fit good.csv -o m.mercer --retain 1.5", 2, "retain is 1.5");
  expect_error("fit good.csv -o m.mercer --kernel polynomial --degree 2.5", 2, "degree");
  expect_error("generate rings -o r.csv --n 0", 2, "n = 0");
  expect_error("generate swiss_roll -o r.csv --d 2", 2, "at least 3 columns");
}

TEST_F(Mistakes, OptionsThatDoNotFitTogether) {
  expect_error("fit good.csv -o m.mercer --kernel matern32 --gamma 1", 2,
               "the matern32 kernel has no parameter 'gamma'");
  expect_error("fit good.csv -o m.mercer --kernel cosine --sigma 1", 2,
               "--sigma is for gaussian and laplacian");
  expect_error("fit good.csv -o m.mercer --gamma 1 --sigma 1", 2, "exclude each other");
  expect_error("fit good.csv -o m.mercer --components 2 --retain 0.5", 2, "exclude each other");
  expect_error("fit good.csv -o m.mercer --retain 0.5 --min-eigenvalue 1", 2, "exclude each other");
  expect_error("fit good.csv -o m.mercer --standardize --scale minmax", 2, "exclude each other");
  expect_error("fit good.csv -o m.mercer --standardize --shift 1", 2, "exclude each other");
}

TEST_F(Mistakes, DataThatCannotBeReadNameThePlace) {
  expect_error("fit missing.csv -o m.mercer", 1, "cannot read 'missing.csv': No such file");
  write("nan.csv", "x,y\n1,2\n3,nan\n");
  expect_error("fit nan.csv -o m.mercer", 1, "'nan.csv', line 3, column 2 ('y')");
  write("ragged.csv", "1,2\n3\n");
  expect_error("fit ragged.csv -o m.mercer", 1, "'ragged.csv', line 2");
  write("text.csv", "x,y\n1,red\n2,blue\n");
  expect_error("fit text.csv -o m.mercer", 1, "line 2, column 2");
  expect_error("fit good.csv -o m.mercer --label-column colour", 2, "no column named 'colour'");
  expect_error("fit good.csv -o m.mercer --label-column 3", 2, "no column 3");
  write("few.txt", "a\nb\n");
  expect_error("fit good.csv -o m.mercer --labels few.txt", 1,
               "few.txt has 2 labels, but good.csv has 4 rows");
  before_ += 4;
}

TEST_F(Mistakes, PlacesThatCannotBeWrittenAreFoundBeforeTheWork) {
  expect_error("fit good.csv -o missing/m.mercer", 1,
               "cannot write 'missing/m.mercer': No such file or directory");
  expect_error("fit good.csv -o .", 1, "Is a directory");
  expect_error("fit good.csv -o m.mercer --json missing/s.json", 1,
               "cannot write 'missing/s.json'");
  expect_error("fit good.csv -o m.mercer --scores missing/z.npy", 1,
               "cannot write 'missing/z.npy'");
  expect_error("fit good.csv -o m.mercer --scores z.xyz", 2, "use .npy, .csv or .txt");
  expect_error("generate rings -o missing/r.csv", 1, "cannot write 'missing/r.csv'");
}

TEST_F(Mistakes, InputIsNeverReplaced) {
  const std::string data = read("good.csv");
  expect_error("fit good.csv -o good.csv", 2, "would replace 'good.csv'");
  expect_error("fit good.csv -o ./good.csv", 2, "would replace 'good.csv'");
  expect_error("fit good.csv -o m.mercer --scores good.csv", 2, "would replace 'good.csv'");
  expect_error("fit good.csv -o m.mercer --json m.mercer", 2, "would replace 'm.mercer'");
  expect_error("transform m.mercer good.csv -o good.csv", 2, "would replace 'good.csv'");
  EXPECT_EQ(read("good.csv"), data);
}

TEST_F(Mistakes, FullDisksAreNoticed) {
  expect_error("fit good.csv -o /dev/full --components 2", 1, "No space left on device");
  done("fit good.csv -o m.mercer --components 2 -q");
  const testing::Outcome outcome = mercer_says("info m.mercer", {.output = "/dev/full"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << outcome.err;
  before_ += 1;
}

TEST_F(Mistakes, FilesThatAreNoModelsAreToldApart) {
  expect_error("info missing.mercer", 1, "cannot read 'missing.mercer': No such file");
  expect_error("info good.csv", 1, "good.csv: not a mercer file");
  expect_error("transform good.csv good.csv -o z.csv", 1, "good.csv: not a mercer file");
  done("fit good.csv -o m.mercer --components 2 -q");
  std::string bytes = read("m.mercer");
  bytes.back() ^= 1;
  write("m.mercer", bytes);
  expect_error("info m.mercer", 1, "m.mercer: damaged: its checksum is");
  before_ += 1;
}

TEST_F(Mistakes, NewDataMustFitTheModel) {
  done("fit good.csv -o m.mercer --components 2 -q");
  write("other.csv", "a,b\n1,2\n");
  expect_error("transform m.mercer other.csv -o z.csv", 1, "column 1 of 'other.csv' is named 'a'");
  write("wide.csv", "1,2,3\n");
  expect_error("transform m.mercer wide.csv -o z.csv", 1, "wide.csv");
  write("nan.csv", "x,y\n1,2\n1,nan\n");
  expect_error("transform m.mercer nan.csv -o z.csv", 1, "'nan.csv', line 3, column 2");
  expect_error("transform m.mercer good.csv -o z.xyz", 2, "use .npy, .csv or .txt");
  before_ += 4;
}

TEST_F(Mistakes, MemoryLimitsAreKeptToTheByte) {
  done("generate blobs -o b.npy --n 2000 --d 4");
  expect_error("fit b.npy -o m.mercer --memory-limit 10K", 1, "limit");
  expect_error("fit b.npy -o m.mercer --solver dense --memory-limit 10M", 1, "MiB");
  before_ += 1;
}

}  // namespace
}  // namespace mercer
